// The page around predict(): what is typed is looked at field by field, and the answer is shown.
(function () {
  "use strict";
  const fields = MODEL.features.map((_, at) => document.getElementById(`feature-${at}`));
  const shares = MODEL.labels.map((_, at) => document.getElementById(`share-${at}`));
  const force = document.getElementById("force");
  const say = (id, text) => { document.getElementById(id).textContent = text; };

  function told(at) {
    const feature = MODEL.features[at], value = fields[at].value.trim();
    return value === "" || feature.cuts ? value : feature.categories[Number(value)];
  }

  function mistake(at) {
    try {
      predict({ [MODEL.features[at].name]: told(at) }, force !== null && force.checked);
      return "";
    } catch (error) {
      return error.message;
    }
  }

  // The shares of the labels that were typed, scaled to 1; null if they cannot be shares.
  function population() {
    const typed = shares.map((each) => Number(each.value.replace(",", ".")));
    const sum = typed.reduce((total, each) => total + each, 0);
    const fine = typed.every((each) => Number.isFinite(each) && each > 0) && Number.isFinite(sum);
    return fine ? typed.map((each) => each / sum) : null;
  }

  function show() {
    const wrong = fields.filter((field, at) => {
      const words = mistake(at);
      say(`wrong-${at}`, words);
      if (words) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
      return words !== "";
    });
    const prior = population();
    say("wrong-shares", prior === null ? "Each share must be a number above 0." : "");
    const answer = wrong.length || prior === null ? null : (MODEL.prior = prior, predict(
      Object.fromEntries(MODEL.features.map((each, at) => [each.name, told(at)])),
      force !== null && force.checked));
    say("label", answer === null ? "No answer" : answer.label);
    say("why", answer === null ? "Look at what is marked."
      : `${fields.filter((_, at) => told(at) !== "").length} of ${fields.length} features are known.`);
    MODEL.labels.forEach((label, at) => {
      const chance = answer === null ? 0 : answer.probabilities[label];
      say(`chance-${at}`, answer === null ? "" : percent(chance));
      document.getElementById(`bar-${at}`).value = chance;
    });
  }

  function percent(chance) {
    const rounded = (100 * chance).toFixed(1);
    if (chance > 0 && rounded === "0.0") return "< 0.1 %";
    return chance < 1 && rounded === "100.0" ? "> 99.9 %" : `${rounded} %`;
  }

  const form = document.getElementById("case");
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  show();
})();
