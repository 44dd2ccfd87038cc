// Says how probable each label of a case is that is known in part; see docs/models.md of budgeted.
//   predict({fever: "yes"})  ->  {label: "ill", probabilities: {well: 0.2, ill: 0.8}}
// A feature that is left out, null, NaN, "" or "?" is not known. What is no value of its feature, or
// no feature, throws an Error. "force" takes numbers that are outside the range of their feature.
function predict(given, force) {
  "use strict";
  const m = MODEL;
  const known = [];
  for (const name of Object.keys(given)) {
    const at = m.features.findIndex((each) => each.name === name);
    if (at < 0) throw new Error(`the model has no feature ${JSON.stringify(name)}`);
    if (!unknown(given[name])) known.push({ at, value: category(m.features[at], given[name], force) });
  }
  const powers = weights(known.map((each) => m.features[each.at].sensitivity));
  const scores = m.labels.map((_, label) => {
    const members = m.weights.map((weight, member) => known.reduce(
      (sum, each, k) => sum + powers[k] * m.features[each.at].logs[member][label][each.value],
      Math.log(weight)));
    return Math.log(m.prior[label]) + logSum(members);
  });
  const all = logSum(scores);
  const best = scores.indexOf(Math.max(...scores));
  const chances = scores.map((score) => Math.exp(score - all));
  return {
    label: m.labels[best],
    probabilities: Object.fromEntries(m.labels.map((label, at) => [label, chances[at]])),
  };

  function unknown(value) {
    return value === null || value === undefined || value === "" || value === "?" || Number.isNaN(value);
  }

  // The position of the category that a value belongs to.
  function category(feature, value, insisted) {
    if (!feature.cuts) {
      const exact = typeof value === "boolean"
        ? feature.categories.findIndex((each) => each === String(value)
          || each === (value ? "True" : "False"))
        : feature.categories.indexOf(String(value));
      if (exact >= 0 && ["string", "number", "boolean"].includes(typeof value)) return exact;
      const number = ["string", "number"].includes(typeof value) ? code(String(value)) : null;
      const same = number === null ? [] : feature.categories.flatMap((each, at) => {
        const other = code(each);
        return other !== null && compare(number, other) === 0 ? [at] : [];
      });
      if (same.length === 1) return same[0];
      throw new Error(`feature ${JSON.stringify(feature.name)} has no value ${JSON.stringify(value)}; `
        + `there are ${feature.categories.map((each) => JSON.stringify(each)).join(", ")}`);
    }
    const number = written(feature, value);
    if (number === null) {
      throw new Error(`feature ${JSON.stringify(feature.name)} takes ${feature.expects}, got `
        + JSON.stringify(typeof value === "number" ? String(value) : value));
    }
    const low = feature.least !== null && compare(number, decimal(String(feature.least))) < 0;
    const high = feature.most !== null && compare(number, decimal(String(feature.most))) > 0;
    if ((low || high) && !insisted) {
      throw new Error(`feature ${JSON.stringify(feature.name)}: ${value} is outside its range; it takes `
        + feature.expects);
    }
    return feature.cuts.filter((cut) => compare(number, decimal(String(cut))) >= 0).length;
  }

  // A number as people write it: with the decimal mark of the study. Numbers are never rounded.
  function written(feature, value) {
    if (typeof value === "number") return decimal(String(value));
    if (typeof value !== "string" || value.trim().length > 40) return null;
    const comma = feature.decimal === "comma";
    if (comma && value.includes(".")) return null;
    return decimal(value.trim().replace(comma ? /,/g : /$^/g, ".").replace(/\u2212/g, "-"));
  }

  // The number that a code is, such as "3" for "3.0", but none for "007".
  function code(text) {
    return /^[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?$/.test(text.trim()) ? decimal(text.trim()) : null;
  }

  function decimal(text) {
    const found = /^([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,2}))?$/.exec(text);
    if (!found) return null;
    const [whole, part = ""] = found[2].split(".");
    return {
      digits: BigInt(whole + part) * (found[1] === "-" ? -1n : 1n),
      power: Number(found[3] || 0) - part.length,
    };
  }

  function compare(one, two) {
    const power = Math.min(one.power, two.power);
    const difference = one.digits * 10n ** BigInt(one.power - power)
      - two.digits * 10n ** BigInt(two.power - power);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  // How much each known feature counts: less, the more they repeat each other.
  function weights(sizes) {
    const falling = [...sizes].sort((one, two) => two - one);
    const sum = sizes.reduce((total, each) => total + each, 0);
    const squares = sizes.reduce((total, each) => total + each * each, 0);
    const number = squares > 0 ? (sum * sum) / squares : 1;
    const copies = m.correlations.copies.reduce(
      (total, [rho, chance]) => total + chance / (1 + rho * (number - 1)), 0);
    const causes = m.correlations["one cause"].map(([rho, chance]) => {
      let least = 0, together = 0;
      falling.forEach((size, k) => {
        together += size;
        least = Math.max(least, (rho * together) / (1 + rho * k));
      });
      return { rho, chance, least };
    });
    return sizes.map((size) => causes.reduce((total, { rho, chance, least }) => total + chance
      * (rho === 0 ? 1 : size > 0 ? Math.max(0, 1 - least / size) / (1 - rho) : 0), copies));
  }

  function logSum(logs) {
    const most = Math.max(...logs);
    return most + Math.log(logs.reduce((sum, each) => sum + Math.exp(each - most), 0));
  }
}
