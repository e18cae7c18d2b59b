-- Disagreement by round. First wrong: of the debates on questions that single answers wrong.
WITH turns AS (
    SELECT *, lag(said) OVER (PARTITION BY condition, question, repeat, agent ORDER BY round) AS before FROM answers),
rounds AS (
    SELECT condition, question, repeat, round, 1 - alike(list(said) FILTER (said <> '?')) AS differ,
        avg(CAST(said <> before AS INTEGER)) FILTER (said <> '?' AND before <> '?') AS changed
    FROM turns GROUP BY ALL),
single AS (SELECT question, repeat, solved = 0 AS wrong FROM held WHERE condition = 'single')
SELECT condition, round, count(*) AS debates, avg(differ) AS "between agents", avg(changed) AS "with itself",
    count(*) FILTER (wrong) AS "first wrong", avg(differ) FILTER (wrong) AS "between, first wrong",
    avg(changed) FILTER (wrong) AS "itself, first wrong"
FROM rounds LEFT JOIN single USING (question, repeat)
GROUP BY ALL HAVING condition IN (SELECT condition FROM agents WHERE again);
