-- Says how probable each label is for every row of the table cases, known in part; see docs/models.md
-- of budgeted. The table has a key and a column for each feature, text for names and a numeric type
-- for numbers. NULL, '' and '?' are not known. Where something is no value of its feature, the label
-- and all chances are NULL, and not_a_value names the feature.
WITH
told_cases AS (SELECT c.<KEY> AS <KEPT>, c.* FROM cases c),  -- your table and its key
told(case_key, feature, cell) AS (
<TOLD>
),
said(feature, cell, member, label, log_chance) AS (VALUES
<SAID>
),
features(feature, name, sensitivity) AS (VALUES
<SIZES>
),
members(member, log_weight) AS (VALUES
<WEIGHTS>
),
labels(label, name, log_share) AS (VALUES
<SHARES>
),
ways(way, rho, chance) AS (VALUES
<WAYS>
),
wrong(case_key, feature) AS (
  SELECT t.case_key, MIN(t.feature)
  FROM told t LEFT JOIN (SELECT DISTINCT feature, cell FROM said) v
    ON v.feature = t.feature AND v.cell = t.cell
  WHERE t.cell IS NOT NULL AND t.cell NOT IN ('', '?') AND v.cell IS NULL
  GROUP BY t.case_key
),
-- The known features of a case, those that tell the labels apart best first.
known(case_key, feature, cell, size, place, together) AS (
  SELECT t.case_key, t.feature, t.cell, CAST(f.sensitivity AS DOUBLE PRECISION),
    ROW_NUMBER() OVER best_first - 1,
    CAST(SUM(f.sensitivity) OVER best_first AS DOUBLE PRECISION)
  FROM told t JOIN features f ON f.feature = t.feature
  WHERE t.cell IS NOT NULL AND t.cell NOT IN ('', '?')
  WINDOW best_first AS (
    PARTITION BY t.case_key ORDER BY f.sensitivity DESC, t.feature ROWS UNBOUNDED PRECEDING)
),
-- How much each of them counts: less, the more they repeat each other.
numbers(case_key, number) AS (
  SELECT case_key, CASE WHEN SUM(size * size) > 0 THEN SUM(size) * SUM(size) / SUM(size * size) ELSE 1 END
  FROM known GROUP BY case_key
),
copies(case_key, power) AS (
  SELECT n.case_key, SUM(y.chance / (1 + y.rho * (n.number - 1)))
  FROM numbers n CROSS JOIN ways y WHERE y.way = 'copies' GROUP BY n.case_key
),
causes(case_key, rho, chance, least) AS (
  SELECT k.case_key, y.rho, y.chance, MAX(y.rho * k.together / (1 + y.rho * k.place))
  FROM known k CROSS JOIN ways y WHERE y.way = 'one cause' GROUP BY k.case_key, y.rho, y.chance
),
of_causes(case_key, feature, power) AS (
  SELECT k.case_key, k.feature, SUM(CASE
      WHEN c.rho = 0 THEN c.chance
      WHEN k.size > c.least THEN c.chance * (1 - c.least / k.size) / (1 - c.rho)
      ELSE 0 END)
  FROM known k JOIN causes c ON c.case_key = k.case_key GROUP BY k.case_key, k.feature
),
summed(case_key, member, label, score) AS (
  SELECT k.case_key, s.member, s.label, SUM((COALESCE(c.power, 0) + COALESCE(o.power, 0))
    * CAST(s.log_chance AS DOUBLE PRECISION))
  FROM known k
    JOIN said s ON s.feature = k.feature AND s.cell = k.cell
    LEFT JOIN copies c ON c.case_key = k.case_key
    LEFT JOIN of_causes o ON o.case_key = k.case_key AND o.feature = k.feature
  GROUP BY k.case_key, s.member, s.label
),
scores(case_key, label, score) AS (
  SELECT t.<KEPT>, l.label, CAST(m.log_weight + l.log_share + COALESCE(s.score, 0) AS DOUBLE PRECISION)
  FROM told_cases t CROSS JOIN members m CROSS JOIN labels l
    LEFT JOIN summed s ON s.case_key = t.<KEPT> AND s.member = m.member AND s.label = l.label
),
peaks(case_key, peak) AS (SELECT case_key, MAX(score) FROM scores GROUP BY case_key),
masses(case_key, label, mass) AS (
  SELECT s.case_key, s.label, SUM(EXP(s.score - p.peak))
  FROM scores s JOIN peaks p ON p.case_key = s.case_key GROUP BY s.case_key, s.label
),
chances(case_key, label, chance, place) AS (
  SELECT case_key, label, mass / SUM(mass) OVER (PARTITION BY case_key),
    ROW_NUMBER() OVER (PARTITION BY case_key ORDER BY mass DESC, label)
  FROM masses
)
SELECT c.case_key,
  MAX(CASE WHEN w.feature IS NULL AND c.place = 1 THEN l.name END) AS label,
<CHANCES>,
  MAX(f.name) AS not_a_value
FROM chances c JOIN labels l ON l.label = c.label
  LEFT JOIN wrong w ON w.case_key = c.case_key
  LEFT JOIN features f ON f.feature = w.feature
GROUP BY c.case_key
ORDER BY c.case_key;
