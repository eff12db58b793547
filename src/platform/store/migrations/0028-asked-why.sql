-- Why Iris asks a person about a tool that Claude Code would let run. NULL: Claude Code asks.
ALTER TABLE permissions ADD COLUMN why TEXT;
