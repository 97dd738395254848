"""Games that unfold: sequential games, from trees and from files."""
