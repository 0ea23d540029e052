-- Late commits that no `known_at` needs any more go with the observations: once observations from
-- before a time are pruned, nothing earlier than that can be requested. Where they are copied to
-- other servers, whose triggers a migration leaves alone, they stay.
DO $$ BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'late_commits'::regclass) THEN
      RETURN;
    END IF;
  END IF;
  DROP TRIGGER late_commits_append_only ON late_commits;
  CREATE TRIGGER late_commits_append_only BEFORE UPDATE OR TRUNCATE ON late_commits
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER late_commits_kept BEFORE DELETE ON late_commits
    FOR EACH STATEMENT WHEN (current_setting('corridor.pruning', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse_change();
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION prune_withdrawals(age_limit timestamptz) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone integer;
  lost timestamptz := (SELECT max(before) FROM prunings WHERE observations > 0);
BEGIN
  IF age_limit > now() - interval '1 year' THEN
    RAISE EXCEPTION 'observations are kept for a year or longer' USING ERRCODE = 'restrict_violation';
  END IF;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM withdrawals WHERE effective_from < age_limit;
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF EXISTS (
    SELECT 1 FROM pg_trigger
    WHERE tgrelid = 'late_commits'::regclass AND tgname = 'late_commits_kept'
  ) THEN
    DELETE FROM late_commits WHERE known_at <= lost;
  END IF;
  SET LOCAL corridor.pruning = 'off';
  DELETE FROM uploads WHERE until < age_limit;
  RETURN gone;
END $$;
