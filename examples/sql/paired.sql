-- Conditions, vs mad: the difference of accuracies on the questions that both answered, each once; Newcombe's interval;
-- p of the exact McNemar test, with Holm's correction for the comparisons of this table, if four of five replies of both
-- state an answer: differences may else be those between readings.
WITH measured AS (
    SELECT condition, coalesce(avg(CAST(how = 'explicit' AS INTEGER)) FILTER (how <> ''), avg(CAST(parsed AS INTEGER)))
        >= 0.8 AS enough
    FROM 'table.replies.parquet' WHERE answers GROUP BY ALL),
pairs AS (
    SELECT a.condition, count(*) AS n, avg(a.solved) AS p, avg(b.solved) AS q, wilson(p, n) AS i, wilson(q, n) AS j,
        sum(a.solved * b.solved) * n - sum(a.solved) * sum(b.solved) AS c, n * n * sqrt(p * (1 - p) * q * (1 - q)) AS s,
        if(s > 0, (if(c > 0, greatest(0, c - n / 2), c)) / s, 0) AS phi,
        count(*) FILTER (a.solved <> b.solved) AS m,
        least(count(*) FILTER (a.solved > b.solved), count(*) FILTER (a.solved < b.solved)) AS k,
        least(1, 2 * list_sum([exp(lgamma(m + 1) - lgamma(x + 1) - lgamma(m - x + 1) - m * ln(2))
                               FOR x IN range(k + 1)])) AS raw
    FROM held a JOIN held b USING (question, repeat)
    WHERE b.condition = 'mad' AND a.condition <> 'mad' GROUP BY ALL),
holm AS (SELECT *, least(1, raw * (count(*) OVER () + 1 - row_number() OVER (ORDER BY raw))) AS step FROM pairs)
SELECT condition, p - q AS "vs mad",
    [p - q - sqrt((p - i[1]) ** 2 - 2 * phi * (p - i[1]) * (j[2] - q) + (j[2] - q) ** 2),
     p - q + sqrt((i[2] - p) ** 2 - 2 * phi * (i[2] - p) * (q - j[1]) + (q - j[1]) ** 2)] AS "its 95 % interval",
    if(m.enough AND mad.enough, max(step) OVER (ORDER BY raw), NULL) AS p
FROM holm JOIN measured m USING (condition), (SELECT enough FROM measured WHERE condition = 'mad') mad;
