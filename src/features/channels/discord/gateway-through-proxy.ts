import { WebSocket } from 'ws'
import { isHere, type WayOut } from '../../../base/lib/proxy-access.ts'

type TunnelAgent = NonNullable<WayOut['agent']>

interface SessionInfo {
  readonly resumeURL: string
}

/** The private parts of the library's shard that are used here. */
export interface ProxiedShard {
  connection: WebSocket | null
  readonly strategy: {
    readonly options: {
      readonly gatewayInformation: { url: string }
      readonly handshakeTimeout: number | null
    }
    retrieveSessionInfo(shard: number): Promise<SessionInfo | null>
  }
}

/** No server listens at this address, and requests to it do not leave this machine. */
const nowhere = 'ws+unix:/dev/null:/'

/**
 * Lets a shard of the library connect to Discord's gateway through a proxy. The library accepts no agent, because it
 * makes its own WebSocket. So it gets an address where no server answers, and the socket that it makes is replaced at
 * once by one that goes through the proxy, with the same handlers.
 */
export function connectThrough(agent: TunnelAgent, shard: ProxiedShard): void {
  const { strategy } = shard
  const { gatewayInformation, handshakeTimeout } = strategy.options
  gatewayInformation.url = away(gatewayInformation.url)
  const retrieve = strategy.retrieveSessionInfo.bind(strategy)
  strategy.retrieveSessionInfo = async (id) => {
    const session = await retrieve(id)
    return session && { ...session, resumeURL: away(session.resumeURL) }
  }
  let connection: WebSocket | null = null
  Object.defineProperty(shard, 'connection', {
    get: () => connection,
    set(made: WebSocket | null) {
      connection = made?.url.startsWith(nowhere) ? replaced(made, agent, handshakeTimeout) : made
    },
  })
}

/** The library stores the address that it was given and reads it again, so the address may already have the prefix. */
function away(address: string): string {
  return address.startsWith(nowhere) ? address : `${nowhere}${address}`
}

function replaced(made: WebSocket, agent: TunnelAgent, handshakeTimeout: number | null): WebSocket {
  const { onmessage, onerror, onclose, onopen, binaryType, url } = made
  Object.assign(made, { onmessage: null, onclose: null, onopen: null, onerror: () => {} })
  made.terminate()
  const address = url.slice(nowhere.length)
  const options = { ...(handshakeTimeout !== null && { handshakeTimeout }), ...(!isHere(address) && { agent }) }
  return Object.assign(new WebSocket(address, [], options), { onmessage, onerror, onclose, onopen, binaryType })
}
