ALTER TABLE "providers" ADD COLUMN "time_zone" text;--> statement-breakpoint
-- The banks that the service asks by itself; other banks get a zone from the catalogue.
UPDATE "providers" SET "time_zone" = "zone" FROM (VALUES
	('bank-al-maghrib', 'Africa/Casablanca'),
	('bank-of-botswana', 'Africa/Gaborone'),
	('bank-of-tanzania', 'Africa/Dar_es_Salaam'),
	('bceao', 'Africa/Dakar'),
	('central-bank-of-egypt', 'Africa/Cairo'),
	('central-bank-of-kenya', 'Africa/Nairobi'),
	('central-bank-of-liberia', 'Africa/Monrovia'),
	('central-bank-of-nigeria', 'Africa/Lagos'),
	('central-bank-of-the-gambia', 'Africa/Banjul'),
	('central-bank-of-tunisia', 'Africa/Tunis'),
	('national-bank-of-angola', 'Africa/Luanda'),
	('national-bank-of-ethiopia', 'Africa/Addis_Ababa'),
	('national-bank-of-rwanda', 'Africa/Kigali'),
	('reserve-bank-of-malawi', 'Africa/Blantyre'),
	('south-african-reserve-bank', 'Africa/Johannesburg')
) AS "known" ("id", "zone") WHERE "providers"."id" = "known"."id" AND "rate_type" = 'official';
