-- An upload goes with its prices: once all of them took effect before the limit.
CREATE OR REPLACE FUNCTION prune_withdrawals(age_limit timestamptz) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone integer;
BEGIN
  IF age_limit > now() - interval '1 year' THEN
    RAISE EXCEPTION 'observations are kept for a year or longer' USING ERRCODE = 'restrict_violation';
  END IF;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM withdrawals WHERE effective_from < age_limit;
  GET DIAGNOSTICS gone = ROW_COUNT;
  SET LOCAL corridor.pruning = 'off';
  DELETE FROM uploads WHERE until < age_limit;
  RETURN gone;
END $$;
