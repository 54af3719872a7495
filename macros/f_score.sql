-- f_score: the weighted harmonic mean of precision and recall.
-- kind: function
-- parameter precision_rate DOUBLE: precision
-- parameter recall_rate DOUBLE: recall
-- parameter beta DOUBLE: weight of recall
-- parameter neither DOUBLE: the value where both are 0
-- column f DOUBLE: the mean
-- source: van Rijsbergen 1979, Information retrieval
CASE WHEN beta * beta * precision_rate + recall_rate > 0
     THEN (1 + beta * beta) * precision_rate * recall_rate / (beta * beta * precision_rate + recall_rate)
     ELSE neither END
