export interface NatsUser {
  /** The name of the host, which is also the name of its user. */
  readonly name: string
  readonly password: string
  /** Teams that it shares with other hosts. */
  readonly sharedTeams: readonly string[]
}

/**
 * The user of a host in the configuration of nats-server: it can publish only as itself, and read only its own data. It
 * cannot create, change or remove a stream, because a reconfigured stream could copy, intercept or remove others' data.
 */
export function natsUser({ name, password, sharedTeams }: NatsUser): string {
  const own = [
    `iris.mail.*.${name}.>`,
    `iris.live.*.${name}`,
    `$KV.iris_hosts.${name}`,
    '$JS.API.INFO',
    '$JS.API.STREAM.INFO.KV_iris_hosts',
    // There is no right to delete a consumer in this stream, because that could end other hosts' watches.
    '$JS.API.CONSUMER.CREATE.KV_iris_hosts.>',
    '$JS.API.DIRECT.GET.KV_iris_hosts.>',
    `$JS.API.STREAM.INFO.IRIS_${name}`,
    ...['CREATE', 'DURABLE.CREATE', 'INFO', 'DELETE', 'MSG.NEXT'].map(
      (call) => `$JS.API.CONSUMER.${call}.IRIS_${name}.>`,
    ),
    `$JS.ACK.IRIS_${name}.>`,
  ]
  return `{ user: ${name}, password: "${password}", permissions: {
      publish: [${listed([...own, ...sharedTeams.flatMap(logRights)])}],
      subscribe: ["_INBOX_${name}.>", "iris.live.${name}.*"] } }`
}

/** The subjects to which each host of a shared team may publish. */
export function logRights(team: string): readonly string[] {
  const name = inSubject(team)
  return [`iris.log.${name}.*`, ...['INFO', 'MSG.GET'].map((call) => `$JS.API.STREAM.${call}.IRIS_LOG_${name}`)]
}

/**
 * The user with which the keeper creates streams and restores their configuration. It cannot remove or read anything.
 */
export function keeperUser(name: string, password: string): string {
  const rights = ['$JS.API.INFO', ...['INFO', 'CREATE', 'UPDATE'].map((call) => `$JS.API.STREAM.${call}.>`)]
  return `{ user: ${name}, password: "${password}", permissions: {
      publish: [${listed(rights)}],
      subscribe: ["_INBOX.>"] } }`
}

function listed(subjects: readonly string[]): string {
  return subjects.map((subject) => `"${subject}"`).join(',\n        ')
}

/** The name of a team, encoded for use in a subject: a name may contain dots, which separate the parts of a subject. */
export function inSubject(team: string): string {
  return team.replaceAll(/[^A-Za-z0-9_-]/g, (sign) => `=${sign.charCodeAt(0).toString(16)}`)
}
