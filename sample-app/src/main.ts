import { ShutdownSignal } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { examples } from './examples.js';
import { Settings } from './settings/settings.js';

async function bootstrap(): Promise<void> {
  const app = await NestFactory.create(AppModule);
  // SIGTERM and SIGINT drain the bus while HTTP still answers; then the process ends with code 0.
  app.enableShutdownHooks([ShutdownSignal.SIGTERM, ShutdownSignal.SIGINT], { useProcessExit: true });
  await app.listen(app.get(Settings).port);
  // A shell does not like brackets.
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  process.stdout.write(examples(url));
}

void bootstrap();
