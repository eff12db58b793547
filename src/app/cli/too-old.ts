const needed = 24

/** What is wrong with this Node, if it is too old: npm installs Iris beside any, and only warns. */
export function tooOld(nodeVersion: string): string | undefined {
  if (Number.parseInt(nodeVersion, 10) >= needed) return undefined
  return `error: Iris needs Node ${needed} or newer, and this is Node ${nodeVersion}.\nInstall a newer one and put it first on PATH.`
}
