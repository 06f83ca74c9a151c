"""Sends requests to SAM's local API, and an event to `sam local invoke`. Everything is SAM's but the container, in whose place a process runs the function.

Reads JSON from standard input: template, environment (as of --env-vars), command (runs a function), requests, function, event.
Writes JSON: routes, responses, and what the invoked function returned.
"""

import io
import json
import os
import subprocess
import sys

from samcli.commands.local.lib.local_lambda import LocalLambdaRunner
from samcli.lib.providers.api_provider import ApiProvider
from samcli.lib.providers.sam_function_provider import SamFunctionProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider
from samcli.lib.utils.stream_writer import StreamWriter
from samcli.local.apigw.local_apigw_service import LocalApigwService

task = json.load(sys.stdin)


class Processes:
    """In place of samcli.local.lambdafn.runtime.LambdaRuntime."""

    def invoke(self, config, event, *_, stdout, **__):
        command = [*task["command"], config.code_abs_path, config.handler]
        result = subprocess.run(command, input=event, env=config.env_vars.resolve(), capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(result.stdout + result.stderr)
        stdout.write_str(result.stdout.splitlines()[-1])  # the lines before are the function's log


stacks, _ = SamLocalStackProvider.get_stacks(task["template"])
runner = LocalLambdaRunner(
    Processes(),
    SamFunctionProvider(stacks),
    cwd=os.path.dirname(task["template"]),
    real_path=os.path.dirname(task["template"]),
    aws_region="us-east-1",
    env_vars_values=task["environment"],
)
api = ApiProvider(stacks).api
service = LocalApigwService(api, runner, static_dir=None, port=3000, host="127.0.0.1", stderr=None)
service.create()
client = service._app.test_client()


def send(request):
    response = client.open(
        request["path"], method=request["method"], headers=request["headers"], data=request.get("body")
    )
    return {"status": response.status_code, "text": response.get_data(as_text=True)}


returned = io.StringIO()
runner.invoke(task["function"], json.dumps(task["event"]), stdout=StreamWriter(returned))
json.dump(
    {
        "routes": [[route.path, route.function_name] for route in api.routes],
        "responses": [send(request) for request in task["requests"]],
        "returned": json.loads(returned.getvalue()),
    },
    sys.stdout,
)
