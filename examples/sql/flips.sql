-- What changed answers of the agents of mad: checking them alone, the answers of others, or their reasons. Arguments
-- without content are counted where the run has vacuous.
WITH has AS (SELECT count(*) > 0 AS vacuous FROM agents WHERE condition = 'vacuous'),
a AS (
    SELECT m.before, m.after, mode, alone.after AS alone, told.after AS told, empty.after AS empty, has.vacuous,
        alone.again AND told.again AND alone.before = m.before AND told.before = m.before
            AND (NOT has.vacuous OR empty.again AND empty.before = m.before) AS paired
    FROM agents m CROSS JOIN has
    LEFT JOIN modes USING (condition, question, repeat, agent)
    LEFT JOIN agents alone ON alone.condition = 'isolated'
        AND (alone.question, alone.repeat, alone.agent) = (m.question, m.repeat, m.agent)
    LEFT JOIN agents told ON told.condition = 'answers-only'
        AND (told.question, told.repeat, told.agent) = (m.question, m.repeat, m.agent)
    LEFT JOIN agents empty ON empty.condition = 'vacuous'
        AND (empty.question, empty.repeat, empty.agent) = (m.question, m.repeat, m.agent)
    WHERE m.condition = 'mad' AND m.again),
sources AS (
    SELECT CASE WHEN alone <> before THEN 'alone' WHEN told <> before AND told = mode THEN 'stance'
            WHEN told <> before THEN 'otherwise' WHEN after <> before AND after = mode THEN 'reasoning'
            WHEN after <> before THEN 'otherwise' ELSE 'stable' END AS source,
        if(vacuous, coalesce(alone = before AND told = before AND empty <> before AND empty = mode, false), NULL)
            AS moved
    FROM a WHERE paired)
SELECT 'mad' AS condition, count(*) AS agents, avg(CAST(source = 'alone' AS INTEGER)) AS spontaneous,
    avg(CAST(source = 'stance' AS INTEGER)) AS stance, avg(CAST(source = 'reasoning' AS INTEGER)) AS reasoning,
    avg(CAST(source = 'otherwise' AS INTEGER)) AS otherwise, avg(CAST(source = 'stable' AS INTEGER)) AS stable,
    avg(CAST(moved AS INTEGER)) AS "empty reasoning",
    avg(CAST(moved AS INTEGER) * CAST(source = 'reasoning' AS INTEGER)) AS "of reasoning, empty too",
    (SELECT count(*) FROM a WHERE paired IS NOT TRUE) AS unpaired
FROM sources HAVING count(*) > 0;
