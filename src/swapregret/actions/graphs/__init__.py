"""Spanning trees and forests of an undirected graph."""
