-- Nothing: the change of this number is one of SQLite's triggers.
SELECT 1;
