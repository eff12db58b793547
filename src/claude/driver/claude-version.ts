/** Builds of the CLI from which on something is there; each may have come a little earlier. */
type Build = readonly [number, number, number]

/** `CLAUDE_CODE_DISABLE_FILE_MENTIONS` suffices. */
export const fileMentionsSince: Build = [2, 1, 330]
/** `--restricted`. */
export const restrictedSince: Build = [2, 1, 330]
/** The system prompt is recorded with the conversation, unless `--system-prompt-snapshot off`. */
export const promptSnapshotSince: Build = [2, 1, 330]

/** False also for a version that is not known. */
export function isSince(version: string | undefined, since: Build): boolean {
  const parts = (version ?? '').split('.').map(Number)
  const [index, part] = [...since.entries()].find(([at, wanted]) => parts[at] !== wanted) ?? [0, since[0]]
  return parts.length === since.length && parts[index]! >= part
}
