'use strict';

// Applications without a compiler: whatever Nest and the package are, they come as `loaded`.

module.exports = { decorate, handlerClass, inject, moduleOf, start };

function start({ common, core }, metadata) {
  return core.NestFactory.createApplicationContext(moduleOf(common, metadata), { logger: false, abortOnError: false });
}

function moduleOf({ Module }, metadata) {
  function App() {}
  Module(metadata)(App);
  return App;
}

function handlerClass({ seda }, name, handle, options = {}) {
  class Handler {
    seen = [];

    handle(first) {
      return handle(this, first);
    }
  }
  decorate(seda.Stage(name, options), Handler, 'handle');
  return Handler;
}

function decorate(decorator, target, method) {
  decorator(target.prototype, method, Object.getOwnPropertyDescriptor(target.prototype, method));
}

function inject(target, ...types) {
  Reflect.defineMetadata('design:paramtypes', types, target);
}
