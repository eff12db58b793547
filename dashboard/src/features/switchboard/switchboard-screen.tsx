import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function SwitchboardScreen() {
  return (
    <Screen title="Switchboard">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
