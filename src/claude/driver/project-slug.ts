/** The CLI cuts longer names and appends a hash of the whole path. */
const maxName = 200

/** The directory under `projects/` that the CLI makes for a working directory. `realPath`: links resolved. */
export function projectSlug(realPath: string): string {
  const name = realPath.replace(/[^a-zA-Z0-9]/g, '-')
  return name.length <= maxName ? name : `${name.slice(0, maxName)}-${hash(realPath)}`
}

/** The common prefix of the directories that the CLI makes for its own worktrees of that project. */
export function worktreePrefix(realPath: string): string {
  return `${projectSlug(realPath)}--claude-worktrees-`
}

function hash(text: string): string {
  let value = 0
  for (let index = 0; index < text.length; index += 1) value = (Math.imul(value, 31) + text.charCodeAt(index)) | 0
  return Math.abs(value).toString(36)
}
