-- How they debated.
WITH debates AS (
    SELECT condition, avg(rounds) FILTER (rounds > 0) AS rounds, avg(CAST(score = 'unparsed' AS INTEGER)) AS unparsed,
        avg(CAST(tie AS INTEGER)) AS ties
    FROM held GROUP BY ALL),
cost AS (
    SELECT condition, avg(calls) AS calls, avg(tokens) AS tokens FROM (
        SELECT condition, question, repeat, count(*) FILTER (kind <> 'closing') AS calls, sum(tokens) AS tokens
        FROM calls SEMI JOIN held USING (condition, question, repeat) GROUP BY ALL) GROUP BY ALL),
with_failed AS (SELECT condition, sum(tokens) / count(*) FILTER (kind <> 'closing') AS reply FROM calls GROUP BY ALL),
ends AS (
    SELECT condition, avg(alike) AS agreement FROM (
        SELECT condition, question, repeat, alike(list(after) FILTER (after <> '?')) AS alike
        FROM agents GROUP BY ALL) GROUP BY ALL),
between AS (
    SELECT condition, avg(differ) AS differ FROM (
        SELECT condition, question, repeat, avg(1 - alike) AS differ FROM (
            SELECT condition, question, repeat, round, alike(list(said) FILTER (said <> '?')) AS alike
            FROM answers GROUP BY ALL) GROUP BY ALL) GROUP BY ALL),
changes AS (
    SELECT condition, avg(CAST(NOT is_right AS INTEGER)) FILTER (was_right) AS lost,
        avg(CAST(is_right AS INTEGER)) FILTER (NOT was_right) AS won
    FROM agents WHERE again GROUP BY ALL)
SELECT condition, rounds, agreement, calls AS "replies per debate", tokens AS "tokens per debate", unparsed,
    lost AS "right, then not", won AS "wrong, then right", differ AS disagreement, ties, reply AS "tokens per reply"
FROM debates JOIN cost USING (condition) JOIN with_failed USING (condition) JOIN ends USING (condition)
JOIN between USING (condition) LEFT JOIN changes USING (condition);
