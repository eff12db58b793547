import { homePaths, irisHome } from '../../../platform/config/home.ts'
import { readToken } from '../find-daemon.ts'
import { runningDaemon } from '../running-daemon.ts'
import type { Given } from '../table/spec.ts'

/** Prints the bearer token that programs send over HTTP. The owner's credential never leaves its file. */
export async function token({ context, env, json }: Given): Promise<void> {
  const path = homePaths(irisHome(env)).token
  // The daemon makes the token at its first start.
  const found = readToken(path) ?? (await runningDaemon(context)).mcp.token
  if (context.stdout.isTTY && !json)
    context.note("The token for programs. It can't do what only the owner may do: see docs/guide/rights.md.")
  if (json) context.sayJson({ token: found })
  else context.say(found)
}
