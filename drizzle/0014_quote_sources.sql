CREATE TABLE "quote_source_state" (
	"source" text PRIMARY KEY NOT NULL,
	"state" jsonb NOT NULL
);
