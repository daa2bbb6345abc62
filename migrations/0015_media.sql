-- Pictures, audio and video inside messages.

-- Of images: whether there is more than one frame, so that messages show the original.
ALTER TABLE attachments ADD COLUMN moves INTEGER NOT NULL DEFAULT 0 CHECK (moves IN (0, 1));
-- Of images in a format that browsers do not show: a copy in full size that they do.
ALTER TABLE attachments ADD COLUMN transcoded_key TEXT;
