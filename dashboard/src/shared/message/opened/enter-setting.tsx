import { useEnterDoes } from '../send-key.ts'
import { texts } from './texts.ts'

/** What Enter does here, and a way to turn it round; nothing where people type on the screen. */
export function EnterSetting() {
  const [does, choose] = useEnterDoes()
  return (
    <span className="pointer-coarse:hidden">
      {texts.enterDoes[does]}{' '}
      <button type="button" className="underline" onClick={() => choose(does === 'send' ? 'line' : 'send')}>
        {texts.turnRound}
      </button>
    </span>
  )
}
