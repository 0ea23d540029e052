CREATE TABLE "day_files" (
	"day" date PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL,
	"made_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
