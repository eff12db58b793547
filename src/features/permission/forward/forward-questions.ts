import type { Observable } from 'rxjs'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Log } from '../../../base/lib/log.ts'
import type { Secrets } from '../../../base/lib/secrets.ts'
import type { PublishedEvent } from '../../../base/protocol/event.ts'
import type { Refusals } from '../../../kernel/call/refusals.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { proxyAccess } from '../../../platform/config/proxy.ts'
import type { Questions } from '../questions.ts'
import { Forwarder } from './forwarder.ts'
import { SignedAnswers } from './signed-answers.ts'

export interface Forwarding {
  readonly answers: SignedAnswers
  /** Call this when another configuration is in force. */
  settingsChanged(): void
  /** Stops sending. */
  end(): void
}

export interface ForwardParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly env: Environment
  readonly events: Observable<PublishedEvent>
  readonly log: Log
  /** The daemon's port, once it listens. */
  readonly port: () => number
  readonly questions: Questions
  readonly refusals: Pick<Refusals, 'record'>
  readonly secrets: Pick<Secrets, 'add'>
}

/** Sends questions of teams with `grantPermission: forward` to the user's endpoint; takes the signed answers. */
export function forwardQuestions(parts: ForwardParts): Forwarding {
  const { config, clock, env, events, log, port, questions, refusals, secrets } = parts
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
      if ('access' in found) secrets.add(found.secrets)
      return found
    },
    answerUrl: (id) => `http://127.0.0.1:${port()}/permissions/${id}/answer`,
    refuse: (id, why) => questions.refuse(id, why),
  })
  const asked = questions.asked$.subscribe((question) => {
    if (!questions.offer(question) && question.mode === 'forward') void forwarder.forward(question.permission)
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
