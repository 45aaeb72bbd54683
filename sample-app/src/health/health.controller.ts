import { Controller, Get } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { SedaBusHealthIndicator } from '@resolvingarchitecture/nestjs-seda-bus';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly bus: SedaBusHealthIndicator,
  ) {}

  /** How the application is: 200 while `ok` or `degraded`, 503 when it is down or on its way out. */
  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.bus.isHealthy('seda')]);
  }

  /** Whether a load balancer should send traffic here. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.bus.isHealthy('seda')]);
  }

  /** Whether the process lives; not by way of Terminus, whose every check is 503 once a shutdown began. */
  @Get('live')
  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }
}
