-- The position before one that log_change has just answered: that of the commit before, as the caller
-- still holds the lock of the log; 0 for the first. Each call reads with a snapshot of its own, so
-- that it finds what was committed while its statement waited for the lock.
CREATE FUNCTION position_before(logged bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE
SET search_path = public, pg_temp AS $$
BEGIN
  RETURN coalesce((SELECT max(position) FROM changes WHERE position < logged), 0);
END $$;
