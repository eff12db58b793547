import type { Log } from '../../base/lib/log.ts'
import { Forwarder } from '../../features/permission/forward/forwarder.ts'
import { SignedAnswers } from '../../features/permission/forward/signed-answers.ts'
import type { Environment } from '../../platform/config/home.ts'
import { proxyAccess } from '../../platform/config/proxy.ts'
import type { Composition } from './compose.ts'

export interface Forwarding {
  readonly answers: SignedAnswers
  /** To be called when another configuration is in force. */
  settingsChanged(): void
  /** Sends nothing more. */
  end(): void
}

/** Sends questions of teams with `grantPermission: forward` to the user's endpoint; takes the signed answers. */
export function forwardQuestions(
  { domain, events, approvals }: Composition,
  { env, log, port }: { readonly env: Environment; readonly log: Log; readonly port: () => number },
): Forwarding {
  const { config, clock, questions, refusals } = domain
  const answers = new SignedAnswers({
    config,
    clock,
    questions: {
      find: (id) => questions.find(id),
      answer: async ({ permissionId, ...answer }, by) => questions.answer(permissionId, { ...answer, by }),
    },
    refused: (permissionId = 'unknown', why) =>
      refusals.record({
        actor: 'unknown',
        action: 'permission.answer_refused',
        subject: permissionId,
        detail: { why },
      }),
  })
  const forwarder = new Forwarder({
    config,
    clock,
    log,
    answers,
    async proxyAccess(proxy) {
      const found = await proxyAccess(proxy, config().home, env)
      if ('access' in found) domain.secrets.add(found.secrets)
      return found
    },
    answerUrl: (id) => `http://127.0.0.1:${port()}/permissions/${id}/answer`,
    refuse: (id, why) => questions.refuse(id, why),
  })
  const asked = questions.asked$.subscribe(({ permission, mode }) => {
    if (!approvals.asked(permission, mode) && mode === 'forward') void forwarder.forward(permission)
  })
  const ended = events.subscribe((event) => {
    if (event.type === 'permission:resolved' || event.type === 'permission:timeout')
      forwarder.resolved(event.permission)
  })
  return {
    answers,
    settingsChanged: () => forwarder.settingsChanged(),
    end() {
      asked.unsubscribe()
      ended.unsubscribe()
      forwarder.close()
    },
  }
}
