/** The first build of the CLI that is known to have a feature; the feature may be a little older. */
type Build = readonly [number, number, number]

/** `CLAUDE_CODE_DISABLE_FILE_MENTIONS` alone is enough to keep files from being inlined. */
export const fileMentionsSince: Build = [2, 1, 330]
/** `--restricted`. */
export const restrictedSince: Build = [2, 1, 330]
/** The CLI stores the system prompt with the conversation, unless `--system-prompt-snapshot off` is given. */
export const promptSnapshotSince: Build = [2, 1, 330]
/** Bash keeps its working directory from one message to the next. Also the first build with the newer tools. */
export const longerStateSince: Build = [2, 1, 330]

/** With `CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST`, no settings file can redirect or replace the login. */
export const hostLoginSince: Build = [2, 1, 330]

/** False for an unknown version too. */
export function isSince(version: string | undefined, since: Build): boolean {
  const parts = (version ?? '').split('.').map(Number)
  const [index, part] = [...since.entries()].find(([at, wanted]) => parts[at] !== wanted) ?? [0, since[0]]
  return parts.length === since.length && parts[index]! >= part
}
