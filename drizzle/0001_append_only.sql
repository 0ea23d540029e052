CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: record a newer row instead of changing an old one', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER observations_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON observations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER reference_snapshots_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON reference_snapshots
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER reference_rates_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON reference_rates
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
