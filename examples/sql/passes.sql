-- What several repeats give: the chance that some, or each, of 2 repeats of a question is right, and of all that there
-- are (coverage). Others, such as 4, are like 2, on questions with as many.
WITH tries AS (
    SELECT condition, question, count(*) AS n, sum(solved) AS c FROM held GROUP BY ALL HAVING count(*) > 1)
SELECT condition, avg(1 - every(n - c, n, 2)) AS "pass@2", avg(every(c, n, 2)) AS "pass^2",
    avg(1 - every(n - c, n, n)) AS "pass@all", avg(every(c, n, n)) AS "pass^all"
FROM tries GROUP BY condition;
