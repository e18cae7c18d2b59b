-- What several first answers give, of agents that have heard nobody: see passes.sql.
WITH firsts AS (
    FROM answers QUALIFY round = min(round) OVER (PARTITION BY condition, question, repeat)),
tries AS (
    SELECT condition, question, count(*) AS n, sum(CAST(correct AS INTEGER)) AS c
    FROM firsts WHERE len(heard) = 0 GROUP BY condition, question, repeat HAVING count(*) > 1),
questions AS (
    SELECT condition, avg(1 - every(n - c, n, 2)) AS some2, avg(every(c, n, 2)) AS each2,
        avg(1 - every(n - c, n, n)) AS some_n, avg(every(c, n, n)) AS each
    FROM tries GROUP BY condition, question)
SELECT condition, avg(some2) AS "pass@2", avg(each2) AS "pass^2", avg(some_n) AS "pass@all", avg(each) AS "pass^all"
FROM questions GROUP BY condition;
