-- What agents made of each other. FILTER leaves out where the mode is NULL: such an agent is opposed to nobody.
WITH a AS (SELECT *, after <> before AS flipped, mode <> before AS opposed, CAST(after = mode AS INTEGER) AS took
           FROM agents LEFT JOIN modes USING (condition, question, repeat, agent) WHERE again)
SELECT condition, avg(CAST(flipped AS INTEGER)) AS flips, avg(took) FILTER (opposed AND flipped) AS adoption,
    avg(took) FILTER (opposed) AS conformity, avg(CAST(NOT flipped AS INTEGER)) FILTER (opposed) AS obstinacy,
    avg(CAST(NOT is_right AS INTEGER)) FILTER (was_right) AS vulnerability,
    avg(CAST(NOT is_right AS INTEGER)) FILTER (was_right AND NOT mode_right) AS misled,
    avg(CAST(is_right AS INTEGER)) FILTER (NOT was_right) AS recovery, any_value(gap) AS "oracle gap"
FROM a JOIN (
    SELECT condition, avg(CAST(found AS INTEGER) - solved) AS gap
    FROM (SELECT condition, question, repeat, bool_or(is_right) AS found FROM a GROUP BY ALL)
    JOIN held USING (condition, question, repeat) GROUP BY ALL) USING (condition)
GROUP BY ALL;
