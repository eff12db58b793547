import { useEnterDoes } from '../send-key.ts'
import { texts } from './texts.ts'

/** Says what Enter does here, with a button to change it; nothing on a touch keyboard. */
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
