import { connect } from 'node:net'

/** See floor.ts: what `iris mcp` is in the way, without a word of it understood. Argument: the socket. */
const socket = connect(process.argv[2]!)
process.stdin.pipe(socket)
socket.pipe(process.stdout)
