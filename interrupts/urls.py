"""The paths of the protocol, at the bare origin, and this host's own below /host/wopsite (wire contract §2)."""

from __future__ import annotations

from django.urls import path, register_converter

from interrupts.surfaces.mcp.view import McpView
from interrupts.surfaces.rest.paths import BoundIdConverter
from interrupts.surfaces.rest.views.connecting import ConnectedView, ConnectView
from interrupts.surfaces.rest.views.discovery import DiscoveryView, OpenApiView
from interrupts.surfaces.rest.views.events import PollView
from interrupts.surfaces.rest.views.interrupts import InspectView, LinkView, ResolveView, TokenView
from interrupts.surfaces.rest.views.runs import BulkCancelView, CancelView, PauseView, ResumeView, RunsView, RunView
from interrupts.surfaces.rest.views.webhooks import DeadLettersView, RotateSecretView, WebhooksView, WebhookView
from interrupts.surfaces.rest.views.workflows import CheckView, RegistrationView, WorkflowView
from interrupts.surfaces.rpc.view import RpcView

register_converter(BoundIdConverter, "bound_id")

urlpatterns = [
    path(".well-known/openwop", DiscoveryView.as_view()),
    path("openapi.json", OpenApiView.as_view()),
    path("workflows/<str:workflow_id>", WorkflowView.as_view()),
    path("host/wopsite/workflows", RegistrationView.as_view()),
    path("host/wopsite/runs/<bound_id:run_id>/interrupt", InspectView.as_view()),
    path("host/wopsite/runs/<bound_id:run_id>/interrupts/<str:node_id>/links", LinkView.as_view()),
    path("host/wopsite/runs/<bound_id:run_id>/interrupts/<str:node_id>/connect", ConnectView.as_view()),
    path("host/wopsite/connected", ConnectedView.as_view()),
    path("host/wopsite/workflows:check", CheckView.as_view()),
    path("host/wopsite/mcp", McpView.as_view()),
    path("host/wopsite/rpc", RpcView.as_view()),
    path("runs", RunsView.as_view()),
    path("runs:bulk-cancel", BulkCancelView.as_view()),
    path("runs/<bound_id:run_id>/cancel", CancelView.as_view()),
    path("runs/<bound_id:run_id>:pause", PauseView.as_view()),
    path("runs/<bound_id:run_id>:resume", ResumeView.as_view()),
    path("runs/<bound_id:run_id>/events/poll", PollView.as_view()),
    path("runs/<bound_id:run_id>/interrupts/<str:node_id>", ResolveView.as_view()),
    # Last of the runs: its id may hold a slash, so it would take the paths above for ids.
    path("runs/<bound_id:run_id>", RunView.as_view()),
    path("webhooks", WebhooksView.as_view()),
    path("webhooks/<bound_id:webhook_id>/dead-letters", DeadLettersView.as_view()),
    path("webhooks/<bound_id:webhook_id>/rotate-secret", RotateSecretView.as_view()),
    path("webhooks/<bound_id:webhook_id>", WebhookView.as_view()),
    path("interrupts/<str:token>", TokenView.as_view()),
]
