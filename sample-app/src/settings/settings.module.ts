import { Module } from '@nestjs/common';
import { Settings, settingsFromEnv } from './settings.js';

@Module({
  providers: [{ provide: Settings, useFactory: () => settingsFromEnv(process.env) }],
  exports: [Settings],
})
export class SettingsModule {}
