import { IrisError } from '../../../base/protocol/error.ts'

/** The options of `iris channels add` for a new channel. */
export interface Wishes {
  readonly name?: string | undefined
  readonly platform?: string | undefined
  readonly team?: string | undefined
  readonly tokenFile?: string | undefined
  readonly tokenVariable?: string | undefined
  readonly tokenStdin?: boolean | undefined
  readonly appTokenFile?: string | undefined
  readonly appTokenVariable?: string | undefined
  readonly allow?: readonly string[] | undefined
  readonly group?: readonly string[] | undefined
  readonly apiRoot?: string | undefined
  /** This option is refused, with or without a value. */
  readonly token?: unknown
  readonly appToken?: unknown
}

/** Tokens that go into a file for this channel. They are not command-line arguments, and are never printed. */
export interface NewTokens {
  readonly token: string
  readonly appToken?: string | undefined
}

/** What tokens of Telegram, Slack and Discord look like. */
const tokenForm = /^\d{5,}:[\w-]{20,}$|^x(ox[a-z]|app)-|^[\w-]{18,}\.[\w-]{4,}\.[\w-]{18,}$/i

const ways = 'Use --token-stdin, --token-file or --token-variable, and get a new token from the platform.'

/** Refuses a token among the arguments. Throws `invalid_input`, which does not repeat the token. */
export function refuseTokens({ token, appToken, allow = [], group = [], ...rest }: Wishes): void {
  const typed = [...Object.values(rest), ...allow, ...group]
  if (token === undefined && appToken === undefined && !typed.some((one) => tokenForm.test(String(one)))) return
  const why = 'A token may not be an argument: every user of this machine sees the arguments of a process.'
  throw new IrisError('invalid_input', why, ways)
}

/** Throws `invalid_input` if more than one place for a token is given. */
export function refuseSeveral({ tokenFile, tokenVariable, tokenStdin, appTokenFile, appTokenVariable }: Wishes): void {
  const several = [
    [tokenFile, tokenVariable, tokenStdin],
    [appTokenFile, appTokenVariable],
  ]
  if (several.every((places) => places.filter((one) => one !== undefined).length < 2)) return
  throw new IrisError('invalid_input', 'You gave more than one place for the token.', 'Give only one.')
}

/** The options that are missing. */
export function missingIn({ name, platform, team, tokenFile, tokenVariable, tokenStdin, ...app }: Wishes): string[] {
  const hasApp = (app.appTokenFile ?? app.appTokenVariable) !== undefined
  return [
    ...(name === undefined ? ['<name>'] : []),
    ...(platform === undefined ? ['--platform'] : []),
    ...(team === undefined ? ['--team'] : []),
    ...((tokenFile ?? tokenVariable ?? tokenStdin) === undefined
      ? ['one of --token-stdin, --token-file and --token-variable']
      : []),
    ...(platform === 'slack' && tokenStdin !== true && !hasApp
      ? ['one of --app-token-file and --app-token-variable']
      : []),
  ]
}
