import type { KeyPath } from './problem.ts'

/** Whether the value at this path may be a secret, which Iris shows to nobody. */
export function isSecretKey(path: KeyPath): boolean {
  return (
    isInEnvironment(path) ||
    isInForwardTo(path) ||
    isAddressOfCallback(path) ||
    isTraceHeader(path) ||
    isAddressOfProxy(path)
  )
}

/** Many people write a proxy's password into its address, where Iris refuses it. */
function isAddressOfProxy(path: KeyPath): boolean {
  return path.at(-1) === 'url' && (path.at(-2) === 'proxy' || path.at(-2) === 'tracesProxy')
}

/** `settings.env` and `teams.<name>.env`. */
export function isInEnvironment(path: KeyPath): boolean {
  return (path[0] === 'settings' && path[1] === 'env') || (path[0] === 'teams' && path[2] === 'env')
}

/** The address of a callback may contain a secret. */
function isAddressOfCallback(path: KeyPath): boolean {
  return path[0] === 'callbacks' && path[2] === 'url'
}

const shownKeys = new Set(['format', 'private', 'channel', 'chat', 'approvers', '0'])

/** Besides the secret, the address is secret too: anyone who knows the address of a chat's webhook can post there. */
function isInForwardTo(path: KeyPath): boolean {
  const [section, name, key] = path
  return (section === 'settings' ? name : key) === 'forwardTo' && !shownKeys.has(String(path.at(-1)))
}

function isTraceHeader(path: KeyPath): boolean {
  return path[0] === 'insight' && path[1] === 'traceHeaders' && path.length > 2
}
