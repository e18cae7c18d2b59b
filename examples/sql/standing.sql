-- Majorities and minorities of agents. The majority is the one answer that at least half of the team gave first.
WITH shares AS (
    SELECT *, count(*) OVER (PARTITION BY condition, question, repeat) AS team,
        count(*) OVER (PARTITION BY condition, question, repeat, before) AS same
    FROM agents),
majorities AS (
    SELECT condition, question, repeat, min(before) AS majority
    FROM shares WHERE before <> '?' AND 2 * same >= team GROUP BY ALL HAVING count(DISTINCT before) = 1)
SELECT condition,
    avg(CAST(is_right AS INTEGER)) FILTER (before = majority AND NOT was_right) AS "majority corrected",
    avg(CAST(is_right AS INTEGER)) FILTER (before <> majority AND was_right) AS "minority kept"
FROM agents LEFT JOIN majorities USING (condition, question, repeat) WHERE again GROUP BY ALL;
