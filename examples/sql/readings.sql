-- How answers were read: replies to the question, also in debates that failed.
SELECT condition, count(*) AS replies, avg(CAST(how = 'explicit' AS INTEGER)) FILTER (how <> '') AS explicit,
    avg(CAST(how = 'fallback' AS INTEGER)) FILTER (how <> '') AS fallback,
    avg(CAST(how = 'closing turn' AS INTEGER)) FILTER (how <> '') AS "closing turn",
    avg(CAST(how = 'cut' AS INTEGER)) FILTER (how <> '') AS cut,
    avg(CAST(how = 'nothing' AS INTEGER)) FILTER (how <> '') AS nothing,
    avg(CAST(stop = 'length' AS INTEGER)) AS "at the limit"
FROM 'table.replies.parquet' WHERE answers GROUP BY ALL HAVING max(how) <> '';
