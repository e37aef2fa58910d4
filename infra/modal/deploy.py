"""Builds the sandboxes' image on Modal and publishes its id.

    modal deploy infra/modal/deploy.py

The app has one web function, `get_image_id`. The control plane asks the app for that function's address and
the function for the image, so a new deployment reaches new sandboxes without a new setting anywhere.
"""

import json
import os
from pathlib import Path

import modal

APP_NAME = "-".join(
    part
    for part in (
        os.environ.get("MODAL_APP_NAME", "proliferate-sandbox"),
        os.environ.get("MODAL_APP_SUFFIX", ""),
    )
    if part
)

app = modal.App(APP_NAME)

# The endpoint's own, smaller image.
endpoint_image = modal.Image.debian_slim(python_version="3.12").pip_install("fastapi[standard]==0.115.6")


def build_sandbox_image() -> str:
    """The id of the built image. Modal builds again only when the Dockerfile or a version has changed."""
    here = Path(__file__).parent
    versions = json.loads((here / "image-versions.json").read_text())
    image = modal.Image.from_dockerfile(
        here / "Dockerfile",
        context_dir=here,
        build_args={
            "NODE_VERSION": versions["node"],
            "OPENCODE_VERSION": versions["opencode"],
            "PLAYWRIGHT_VERSION": versions["playwright"],
            "PLAYWRIGHT_MCP_VERSION": versions["playwrightMcp"],
        },
    )
    with modal.enable_output():
        built = image.build(modal.App.lookup(APP_NAME, create_if_missing=True))
    return built.object_id


# Modal imports this file twice: here, when it is deployed, and in the endpoint's container, which has neither
# the Dockerfile nor a reason to build. What the first learns reaches the second as a variable.
published = {"SANDBOX_IMAGE_ID": build_sandbox_image()} if modal.is_local() else {}


@app.function(image=endpoint_image, secrets=[modal.Secret.from_dict(published)])
@modal.fastapi_endpoint(method="GET")
def get_image_id() -> dict[str, str]:
    """An image's id is no secret: without the workspace's tokens nobody can start it."""
    return {"image_id": os.environ["SANDBOX_IMAGE_ID"]}
