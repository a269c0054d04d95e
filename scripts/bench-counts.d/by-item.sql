SELECT question_id, least(model_a, model_b) AS model_a, greatest(model_a, model_b) AS model_b,
       count(*) FILTER (WHERE winner = CASE WHEN model_a < model_b THEN 'model_a' ELSE 'model_b' END) AS wins_a,
       count(*) FILTER (WHERE winner = CASE WHEN model_a < model_b THEN 'model_b' ELSE 'model_a' END) AS wins_b,
       count(*) FILTER (WHERE winner = 'tie') AS ties,
       count(*) FILTER (WHERE winner IN ('tie (bothbad)', 'both_bad')) AS both_bad
FROM battles
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
