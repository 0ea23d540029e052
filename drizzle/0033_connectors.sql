CREATE TABLE "connector_state" (
	"connector" text PRIMARY KEY NOT NULL,
	"state" jsonb NOT NULL,
	"seen" jsonb NOT NULL
);
