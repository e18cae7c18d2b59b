-- Conditions. Questions count alike, however often each was asked; the interval is Wilson's, of questions asked once.
WITH debates AS (
    SELECT condition, sum(n) AS n, avg(share) AS accuracy
    FROM (SELECT condition, question, count(*) AS n, avg(solved) AS share FROM held GROUP BY ALL) GROUP BY ALL),
replies AS (
    SELECT condition, avg(CAST(NOT parsed AS INTEGER)) AS unparsed,
        avg(CAST(how = 'explicit' AS INTEGER)) FILTER (how <> '') AS explicit,
        avg(CAST(stop = 'length' AS INTEGER)) AS cut
    FROM 'table.replies.parquet' WHERE answers GROUP BY ALL),
cost AS (
    SELECT condition, count(*) FILTER (kind <> 'closing') AS calls, sum(tokens) AS tokens,
        count(DISTINCT (question, repeat, round, agent)) FILTER (kind = 'closing') AS closings -- each in several orders
    FROM calls GROUP BY ALL),
failures AS (
    SELECT condition, count(*) FILTER (score = 'failed') AS failed FROM 'table.decisions.parquet' GROUP BY ALL)
SELECT condition, coalesce(n, 0) AS n, failed, accuracy, wilson(accuracy, n) AS "95 % interval", unparsed, explicit,
    cut AS "cut off", calls, tokens, closings AS "closing turns"
FROM failures JOIN replies USING (condition) JOIN cost USING (condition) LEFT JOIN debates USING (condition);
