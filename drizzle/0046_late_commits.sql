-- As before, but the time of an earlier commit that lies more than a day ahead counts no more: it is
-- of a clock that was set back since, and every later commit was taken for a late one until then. Up
-- to a day, no commit is known before an earlier one, so that what was returned for a time stays.
CREATE OR REPLACE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  ended timestamptz := clock_timestamp();
  said timestamptz := NEW.at;
BEGIN
  NEW.known_at := NEW.at + (ended - now());
  IF abs(extract(epoch FROM ended - NEW.at)) < 0.005 THEN
    said := now();
    NEW.known_at := ended;
  END IF;
  NEW.known_at := greatest(NEW.known_at, (
    SELECT known_at FROM changes WHERE known_at <= greatest(NEW.known_at, ended) + interval '1 day'
    ORDER BY position DESC LIMIT 1
  ));
  IF NEW.known_at > said + interval '1 second'
    AND current_setting('corridor.restoring', true) IS DISTINCT FROM 'on'
  THEN
    INSERT INTO late_commits (kind, said_at, known_at, ids)
    VALUES (NEW.kind, said, NEW.known_at, NEW.ids);
  END IF;
  RETURN NEW;
END $$;
