-- Nothing: a place for a change of this number.
SELECT 1;
