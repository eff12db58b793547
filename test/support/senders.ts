import { createHmac } from 'node:crypto'

/** How senders make their requests, by their own documents. */
export const senders = {
  /**
   * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md: the key is what follows
   * `whsec_`, in base64; signed are id, time in seconds and body, with dots between them. GitLab's signing tokens do the same.
   */
  standard(secret: string, { id, at, body }: { id: string; at: number; body: string }): Record<string, string> {
    const time = String(Math.floor(at / 1000))
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')
    return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
  },
  /** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
  github(secret: string, { body, event = 'issues' }: { body: string; event?: string }): Record<string, string> {
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    return { 'x-github-event': event, 'x-github-delivery': 'd1', 'x-hub-signature-256': `sha256=${signature}` }
  },
  /** `authorization.credentials_file` of Alertmanager's `http_config`, and `curl -H`. */
  bearer: (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` }),
  /** GitLab's older secret token. */
  gitlab: (secret: string): Record<string, string> => ({ 'x-gitlab-token': secret }),
}
