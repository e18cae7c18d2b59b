-- What choosing the method by question could gain at most, within each budget. Names end in budgets, or have 1.
WITH methods AS (
    SELECT condition, coalesce(TRY_CAST(regexp_extract(condition, '-(\d+)$', 1) AS INTEGER), 1) AS budget,
        sum(tokens) AS tokens
    FROM calls GROUP BY condition),
whole AS ( -- what all conditions held
    SELECT question, repeat FROM held GROUP BY ALL HAVING count(*) = (SELECT count(*) FROM methods)),
shares AS (
    SELECT condition, question, avg(solved) AS share FROM held SEMI JOIN whole USING (question, repeat) GROUP BY ALL),
alone AS (
    SELECT condition, budget, tokens, avg(share) AS accuracy FROM methods JOIN shares USING (condition) GROUP BY ALL),
smaller AS ( -- budgets within which some conditions fit, but not all
    SELECT DISTINCT b.budget AS most, CAST(b.budget AS VARCHAR) AS answers FROM methods b
    WHERE (SELECT count(*) FROM methods m WHERE m.budget <= b.budget) > 1
        AND b.budget < (SELECT max(budget) FROM methods)),
ceilings AS (
    FROM smaller UNION ALL SELECT max(budget), 'all' FROM methods HAVING (SELECT count(*) FROM smaller) > 0),
best AS (
    SELECT answers, count(*) AS conditions, first(accuracy ORDER BY accuracy DESC, tokens) AS accuracy,
        first(condition ORDER BY accuracy DESC, tokens) AS condition
    FROM ceilings JOIN alone ON budget <= most GROUP BY answers),
best_of AS ( -- in each case the best of them
    SELECT answers, question, repeat, max(solved) AS solved
    FROM ceilings JOIN methods ON budget <= most JOIN held USING (condition) SEMI JOIN whole USING (question, repeat)
    GROUP BY ALL),
oracle AS (SELECT answers, avg(share) AS share FROM (
    SELECT answers, question, avg(solved) AS share FROM best_of GROUP BY ALL) GROUP BY answers)
SELECT answers, conditions, share AS "some one is right", printf('%.3f %s', accuracy, condition) AS "the best alone"
FROM best JOIN oracle USING (answers);
