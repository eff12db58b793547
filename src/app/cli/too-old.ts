const needed = 24

/** The error for a Node that is too old; undefined otherwise. npm installs Iris with any Node and only warns. */
export function tooOld(nodeVersion: string): string | undefined {
  if (Number.parseInt(nodeVersion, 10) >= needed) return undefined
  return `error: Iris needs Node ${needed} or newer, and this is Node ${nodeVersion}.\nInstall a newer one and put it first on PATH.`
}
