CREATE INDEX "portal_verifications_value" ON "portal_verifications" USING btree ("value");
--> statement-breakpoint
-- Whichever way a password comes to be another, the links that were mailed before it are over.
CREATE FUNCTION end_reset_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM portal_verifications WHERE value = NEW.user_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER portal_credentials_links AFTER UPDATE OF password ON portal_credentials
  FOR EACH ROW WHEN (NEW.password IS DISTINCT FROM OLD.password)
  EXECUTE FUNCTION end_reset_links();
